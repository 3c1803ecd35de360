"""The lab "Do a few old bits decide a branch?": predictors on a made trace, costs and storage."""
