# Builds the pages in both languages.
set -e
for language in en de; do
    sphinx-build --quiet --builder dirhtml --define language=$language \
        --define html_baseurl=https://tea.example/$language/ docs public/$language
done
