"""The project database: models, migrations, repositories, leases and outbox."""
