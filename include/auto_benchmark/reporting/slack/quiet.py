"""Quiet hours: whole hours of the local day in which only lost places are told."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo


def quiet_until(moment: datetime, hours: tuple[int, int] | None, zone: str) -> datetime | None:
    """When the quiet hours that ``moment`` lies in end; None outside of them.

    Args:
        moment: with its timezone.
        hours: first hour that is quiet and first that is not, over midnight where the first is larger.
        zone: name of the timezone that the hours are meant in.
    """
    if hours is None or hours[0] == hours[1]:
        return None
    start, end = hours
    local = moment.astimezone(ZoneInfo(zone))
    is_quiet = start <= local.hour < end if start < end else local.hour >= start or local.hour < end
    if not is_quiet:
        return None
    days = timedelta(days=int(start > end and local.hour >= start))
    return (local + days).replace(hour=end, minute=0, second=0, microsecond=0)
