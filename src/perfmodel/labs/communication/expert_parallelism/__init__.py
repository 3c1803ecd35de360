"""The lab "Where does an all-to-all spend its time?"."""
