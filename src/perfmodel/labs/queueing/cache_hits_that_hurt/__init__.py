"""The lab "Cache hits that hurt".

`policies` says what a hit and a miss lock under each policy, `cache` how fast the threads get
through, `lock_queues` draws where they stand.
"""
