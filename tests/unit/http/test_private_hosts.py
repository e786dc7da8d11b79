"""Private addresses are reached where the operator has named the host or its network, and nowhere else."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from auto_benchmark.http.address import resolve
from auto_benchmark.http.errors import AddressRefusedError
from auto_benchmark.private_hosts import ALL_PRIVATE, NO_PRIVATE, PrivateHosts
from auto_benchmark.settings import Settings

NAMED = PrivateHosts.of(["Arena.", "10.2.0.0/16", "fd00::/8", "[::1]", None])


@pytest.mark.parametrize(
    ("host", "address", "allowed"),
    [
        ("arena", "172.18.0.5", True),
        ("ARENA.", "172.18.0.5", True),
        ("arena.evil.example", "172.18.0.5", False),
        ("notarena", "172.18.0.5", False),
        ("anything", "10.2.3.4", True),
        ("anything", "::ffff:10.2.3.4", True),
        ("anything", "10.3.3.4", False),
        ("anything", "fd12::1%eth0", True),
        ("localhost", "::1", True),
        ("localhost", "127.0.0.1", False),
        ("metadata", "169.254.169.254", False),
    ],
)
def test_what_is_named_is_allowed(host, address, allowed):
    assert NAMED.allow(host, address) is allowed
    assert (NO_PRIVATE | NAMED).allow(host, address) is allowed
    assert not NO_PRIVATE.allow(host, address)
    assert (NAMED | ALL_PRIVATE).allow(host, address)


@pytest.mark.parametrize("text", ["http://arena", "arena:8090", "a b", "*", "", "10.0.0.0/33", "me@arena"])
def test_what_is_no_host_is_refused_and_not_repeated(text):
    with pytest.raises(ValueError, match=r"^entry 2 is not a host, address or network$"):
        PrivateHosts.of(["arena", text])


def test_one_address_outside_of_the_named_networks_is_enough(monkeypatch):
    answers = [(2, 1, 6, "", (address, 80)) for address in ("8.8.8.8", "10.2.0.7", "10.9.0.7")]
    monkeypatch.setattr("socket.getaddrinfo", lambda *a, **k: answers)
    with pytest.raises(AddressRefusedError, match=r"10\.9\.0\.7; AUTO_BENCHMARK_ALLOW_PRIVATE_HOSTS"):
        resolve("mixed.example", 80, private=NAMED)


def test_the_settings_name_them(monkeypatch):
    assert Settings().private_hosts == NO_PRIVATE
    monkeypatch.setenv("AUTO_BENCHMARK_ALLOW_PRIVATE_HOSTS", " board.internal, 10.2.0.0/16,")
    found = Settings().private_hosts
    assert found.allow("board.internal", "192.168.1.1")
    assert found.allow("x", "10.2.0.1")
    assert not found.allow("x", "10.3.0.1")
    monkeypatch.setenv("AUTO_BENCHMARK_ALLOW_PRIVATE_ADDRESSES", "true")
    assert Settings().private_hosts.allow("x", "10.3.0.1")
    monkeypatch.setenv("AUTO_BENCHMARK_ALLOW_PRIVATE_HOSTS", "http://me:hunter2@board.internal")
    with pytest.raises(ValidationError) as refused:
        Settings()
    assert "hunter2" not in str(refused.value)
