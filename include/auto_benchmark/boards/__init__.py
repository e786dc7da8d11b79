"""Watching leaderboards: scrape, compare, standing, triggers."""
