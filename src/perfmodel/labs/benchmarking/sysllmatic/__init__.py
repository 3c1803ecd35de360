"""The lab "SysLLMatic: three programs, one headline"."""
