# Installs the programs that the tests run for real: a browser, a database server, two web servers, curl, jq, git and
# zsh. The arguments are what the long tests need besides: `java` for Spark, `node` for Eleventy, `wordpress` with PHP
# and MariaDB, `generators` for Hugo and Jekyll. Debian and Ubuntu only; elsewhere, and without the right to, it says
# what is missing.
set -eu
further=" $* "

missing=""
command -v chromium >/dev/null || command -v google-chrome >/dev/null || missing="$missing chromium"
command -v caddy >/dev/null || missing="$missing caddy"
command -v curl >/dev/null || missing="$missing curl"
command -v jq >/dev/null || missing="$missing jq"
command -v git >/dev/null || missing="$missing git"
command -v zsh >/dev/null || missing="$missing zsh"
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || missing="$missing postgresql"
ls /usr/share/postgresql/*/extension/citext.control >/dev/null 2>&1 || missing="$missing postgresql-contrib"
case $further in *" java "*) command -v java >/dev/null || missing="$missing default-jre-headless" ;; esac
case $further in *" node "*) command -v npm >/dev/null || missing="$missing nodejs npm" ;; esac
case $further in *" wordpress "*)
    [ -d /usr/share/wordpress ] || missing="$missing wordpress wordpress-theme-twentytwentythree"
    php -r 'exit((int) !(extension_loaded("mysqli") && extension_loaded("simplexml")));' 2>/dev/null ||
        missing="$missing php-cli php-mysql php-xml"
    [ -x /usr/sbin/mariadbd ] || missing="$missing mariadb-server-core"
    ;;
esac
case $further in *" generators "*)
    command -v hugo >/dev/null || missing="$missing hugo"
    command -v jekyll >/dev/null || missing="$missing jekyll"
    ruby -e 'Gem::Specification.find_by_name("jekyll-paginate")' 2>/dev/null || missing="$missing ruby-jekyll-paginate"
    ;;
esac
[ -z "$missing" ] && exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -q
    # shellcheck disable=SC2086  (words of a list)
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
else
    echo "the tests need$missing: install them and try again" >&2
    exit 1
fi
