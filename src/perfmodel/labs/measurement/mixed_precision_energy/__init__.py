"""The lab "Nine watts less: does training emit less?"."""
