"""The pattern that shows which URLs are in their normal form already."""

from __future__ import annotations

import duckdb
from hypothesis import given
from hypothesis import strategies as st
from urlset import _core
from urlset._util.identity import make_normal_forms, may_differ

PIECES = st.sampled_from(
    [*"abz/?#=&-~@1%'|.", "/./", "/../", "%41", "%c3", "%C3%A9", "%2F", "%7e", "%7B", "ü", ":80", ":443", ":8080"]
)
URLS = st.builds(
    lambda scheme, host, rest: f"{scheme}://{host}{''.join(rest)}",
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(["shop.example", "Shop.example", "127.0.0.1", "1.2", "a", "xn--bcher-kva.example", "a.b1"]),
    st.lists(PIECES, max_size=6),
)


@given(st.lists(URLS, min_size=1, max_size=20))
def test_what_the_pattern_takes_for_normal_is_normal(urls: list[str]) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE urls AS SELECT unnest(?) AS url", [urls])
        normal = f"SELECT url FROM urls WHERE NOT {may_differ('url')}"
        for (url,) in connection.execute(normal).fetchall():
            assert _core.normalized_url(url) == url
        is_any = make_normal_forms(connection, connection.cursor(), "forms", ("urls", "url"))
        forms = dict(connection.execute("FROM forms").fetchall())
    expected = {url: _core.normalized_url(url) for url in urls if _core.normalized_url(url) != url}
    assert (forms, is_any) == (expected, bool(expected))


def test_most_urls_need_no_look() -> None:
    with duckdb.connect() as connection:
        usual = ["https://shop.example/a/b-1?c=d", "http://a.b/%C3%A9%2F#x", "https://shop.example/~a,b;c=(d)!"]
        query = f"SELECT count(*) FROM (SELECT unnest(?) AS url) WHERE {may_differ('url')}"
        assert connection.execute(query, [usual]).fetchall() == [(0,)]
