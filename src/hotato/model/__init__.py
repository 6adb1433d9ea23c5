"""What everything speaks: turn, span, call, verdict, result, envelope and the one JSON codec."""
