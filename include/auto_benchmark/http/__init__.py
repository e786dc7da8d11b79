"""The one way to call HTTP: one client, bounded in time and bytes, one retry policy, one rule for redirects."""
