"""A blog of WordPress with a block theme: categories, tags, an author, pages of older posts, and a slug in Hebrew.

`tests/system.sh wordpress` installs it, with PHP and MariaDB.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from support.audit.sites.content import articles, sentences
from support.audit.sites.site import Built, run, running
from support.nginx import free_port

INSTALLED = Path("/usr/share/wordpress")
FILES = Path(__file__).with_name("wordpress_files")


def posts() -> str:
    """Return what is to be published, as JSON."""
    found = [
        {
            "title": page.title,
            "slug": page.slug,
            "content": "\n\n".join(
                f"<!-- wp:paragraph --><p>{each}</p><!-- /wp:paragraph -->" for each in page.paragraphs
            ),
            "date": f"{page.changed} 08:00:00",
            "type": "page" if page.slug in ("storage", "questions") else "post",
            "category": "Garden" if "a" in page.slug else "House",
            "tags": [page.slug.split("-")[-1], "leaves"],
        }
        for page in articles("en")
    ]
    return json.dumps([*found, {**found[0], "title": "שלום", "slug": "", "content": sentences("peace", "en", 9)}])


def build(folder: Path, url: str) -> Built:
    """Install it."""
    assert INSTALLED.exists(), "install WordPress for this test: sh tests/system.sh wordpress"
    (folder / "static").mkdir()
    root, data, database, port = folder / "site", folder / "data", free_port(), free_port()
    shutil.copytree(INSTALLED, root, symlinks=False, ignore_dangling_symlinks=True)
    config = (FILES / "wp-config.php").read_text("utf-8")
    (root / "wp-config.php").write_text(config.format(url=url, database=database), "utf-8")
    run(
        ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal"], folder
    )
    server = [
        "/usr/sbin/mariadbd",
        *("--no-defaults", f"--datadir={data}", f"--socket={folder / 'socket'}", "--user=root"),
        *("--bind-address=127.0.0.1", f"--port={database}", "--skip-log-bin", "--innodb-flush-log-at-trx-commit=0"),
    ]
    with running(server, database, folder / "database.log"):
        client = ["mariadb", "--no-defaults", f"--socket={folder / 'socket'}", "--user=root"]
        run([*client, "--execute=CREATE DATABASE wordpress CHARACTER SET utf8mb4"], folder)
        run(["php", FILES / "install.php", url.partition("//")[2]], root, posts())
    app = ["php", "-S", f"127.0.0.1:{port}", "-t", str(root), str(FILES / "router.php")]
    return Built(folder / "static", servers=[(server, database), (app, port)])
