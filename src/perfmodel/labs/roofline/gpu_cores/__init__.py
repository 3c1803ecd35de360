"""The lab "Modern GPU cores": issue, registers, loads, storage, and the errors of simulators."""
