"""The lab "How often should a long training save?": interruptions, saves and recoveries."""
