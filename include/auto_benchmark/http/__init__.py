"""The one way to call HTTP, for boards, papers, submissions and the language model.

- ``client.call`` is one request inside its ``Bounds``: a silence, a deadline and a number of bytes. httpx bounds each
  read alone, and a decoded chunk not at all, so the deadline and the bytes are kept below it, at the connection
  (``stream``), and bodies are unpacked here (``body``).
- ``retry.Retry`` says what is repeated and how long is waited; ``retry.retry_after`` reads Retry-After.
- ``redirect.follow`` says where redirects may lead and what goes along.
- ``address`` says which addresses may be connected to.

Airflow's HTTP hook sends over the same client. Slack is called by slack_sdk, which has its own.
"""
