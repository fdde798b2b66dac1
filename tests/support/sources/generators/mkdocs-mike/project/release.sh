# Deploys two versions to the branch gh-pages, as a release does, and gets the branch into the folder `public`.
set -e
export GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=ann@tea.example
git rev-parse --git-dir >/dev/null 2>&1 || git init --quiet

echo "# Steam" >docs/guide/steam.md
mike --quiet deploy --message "Deploy 1.0" 1.0
rm docs/guide/steam.md
mike --quiet deploy --message "Deploy 2.0" 2.0 latest
mike --quiet set-default --message "Prefer the latest" latest

mkdir -p public
git archive gh-pages | tar --extract --directory public
