"""The lab "When does it pay to think ahead? (Sleep-time compute)"."""
