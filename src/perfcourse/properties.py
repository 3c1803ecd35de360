"""The earlier place of `perfcourse.bank.properties`: banks that import it from here still load."""

from perfcourse.bank.properties import *  # noqa: F403
