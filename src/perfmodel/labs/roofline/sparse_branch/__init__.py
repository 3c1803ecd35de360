"""The lab "Do a few old bits decide a branch?"."""
