"""The lab "Which tensor may live far away? (CXL allocation, 2025)"."""
