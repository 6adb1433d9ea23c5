"""Scenarios become calls, calls are judged by conversation tests, and tests make suites with numbers over many runs."""
