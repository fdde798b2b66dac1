"""SQL that reading and publishing share."""


def moment_text(column: str) -> str:
    """SQL for a TIMESTAMP WITH TIME ZONE as RFC 3339 in UTC, with a fraction only where there is one."""
    # By way of the epoch: text straight from the type would follow the session's time zone.
    moment = f"make_timestamp(epoch_us({column}))"
    fraction = (
        f"CASE epoch_us({column}) % 1000000 WHEN 0 THEN '' ELSE rtrim(strftime({moment}, '.%f'), '0') END"
    )
    return f"(strftime({moment}, '%Y-%m-%dT%H:%M:%S') || {fraction} || 'Z')"
