"""Reading and writing the project database: one file per aggregate.

Every function takes a keyword-only ``session`` and never commits: the caller owns the transaction. Writes are
set-based and idempotent on a natural key. Domain objects come out, never rows. ``now`` is for replays and tests;
without it the database's clock is used, so that workers with different clocks agree about leases.
"""
