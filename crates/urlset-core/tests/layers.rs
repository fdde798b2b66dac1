//! The rooms of the crates: imports run down the lists in ARCHITECTURE.md, and no two files import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates with a list of rooms, and its heading. What one crate may import of another stands in its Cargo.toml.
const LISTED: [(&str, &str); 3] = [
    ("urlset-core", "### Layers of the core"),
    ("urlset-engine", "### Layers of the engine"),
    ("urlset-net", "### Layers of the transport"),
];

/// Each module by its path (`read::recover::lexer`), with the modules that it imports.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rooms as ARCHITECTURE.md lists them below a heading, from top to bottom.
fn layers(heading: &str) -> Vec<String> {
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md can be read");
    let (_, section) = architecture.split_once(heading).expect("ARCHITECTURE.md lists the layers of the crate");
    let (_, block) = section.split_once("```text\n").expect("the list is a block of text");
    let (block, _) = block.split_once("```").expect("the block ends");
    block.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Every source file of a crate but the tests, by its module path.
fn sources(name: &str) -> BTreeMap<String, String> {
    let src = root().join("crates").join(name).join("src");
    let (mut found, mut folders) = (BTreeMap::new(), vec![src.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            if name == "tests" || name.ends_with("_tests") || name == "lib" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let path = path.strip_prefix(&src).expect("a path below src").with_extension("");
            let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).filter(|part| part != "mod").collect();
            let text = fs::read_to_string(src.join(&path).with_extension("rs")).expect("a source file");
            // Unit tests stand at the end of a file and may import what they like.
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
            found.insert(parts.join("::"), code);
        }
    }
    found
}

/// The paths that a tree of imports such as `a::{b, c::{self, d}}` names.
fn flatten(tree: &str, prefix: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, inner)) = tree.split_once('{') else {
        paths.push(format!("{prefix}{tree}"));
        return;
    };
    let inner = &inner[..inner.rfind('}').unwrap_or(inner.len())];
    let (mut depth, mut start) = (0, 0);
    for (at, character) in inner.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                flatten(&inner[start..at], &format!("{prefix}{head}"), paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inner[start..].trim().is_empty() {
        flatten(&inner[start..], &format!("{prefix}{head}"), paths);
    }
}

/// The paths that a file names: those of its imports, and those that it writes out.
fn paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let code: String =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect();
    for statement in code.split(';') {
        let start = statement.rfind("\nuse ").map(|at| at + 5).or(statement.rfind("pub use ").map(|at| at + 8));
        let start = start.or(statement.starts_with("use ").then_some(4));
        if let Some(tree) = start.and_then(|at| statement.get(at..)) {
            flatten(tree, "", &mut paths);
        }
    }
    for keyword in ["crate::", "super::"] {
        for (at, _) in code.match_indices(keyword) {
            let is_whole = !code[..at].ends_with(|before: char| before.is_alphanumeric() || "_:$".contains(before));
            let path: String =
                code[at..].chars().take_while(|next| next.is_alphanumeric() || "_:".contains(*next)).collect();
            let is_tree = code[at + path.len()..].starts_with('{');
            if is_whole && !is_tree {
                paths.push(path.trim_end_matches(':').to_owned());
            }
        }
    }
    paths
}

/// The module that a path names in `module`, if it is one of the core.
fn resolve(module: &str, path: &str, modules: &BTreeMap<String, String>) -> Option<String> {
    let mut base: Vec<&str> = module.split("::").collect();
    let mut parts = path.split("::").peekable();
    match parts.peek().copied() {
        Some("crate") => {
            base.clear();
            parts.next();
        }
        Some("self") => {
            parts.next();
        }
        _ => {}
    }
    while parts.peek() == Some(&"super") {
        base.pop();
        parts.next();
    }
    base.extend(parts);
    let longest = (1..=base.len()).rev().map(|length| base[..length].join("::"));
    longest.into_iter().find(|name| modules.contains_key(name))
}

fn graph(name: &str) -> Graph {
    let modules = sources(name);
    let imports = |module: &str, code: &str| {
        let found = paths(code).into_iter().filter_map(|path| resolve(module, &path, &modules));
        found.filter(|name| name != module).collect()
    };
    modules.iter().map(|(module, code)| (module.clone(), imports(module, code))).collect()
}

fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

#[test]
fn the_map_lists_every_room() {
    for (name, heading) in LISTED {
        let rooms: BTreeSet<String> = graph(name).keys().map(|module| room(module).to_owned()).collect();
        assert_eq!(layers(heading).into_iter().collect::<BTreeSet<_>>(), rooms, "{name}");
    }
}

#[test]
fn imports_run_down_the_map() {
    let mut wrong = Vec::new();
    for (name, heading) in LISTED {
        let layers = layers(heading);
        let level = |module: &str| layers.iter().position(|layer| layer == room(module));
        for (module, imports) in graph(name) {
            let up = imports.iter().filter(|import| room(import) != room(&module) && level(import) < level(&module));
            wrong.extend(up.map(|import| format!("{name}: {module} reaches up to {import}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every module that `module` imports, also by way of others.
fn reached(module: &str, graph: &Graph) -> BTreeSet<String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![module.to_owned()]);
    while let Some(next) = open.pop() {
        open.extend(graph[&next].iter().filter(|import| found.insert((*import).clone())).cloned());
    }
    found
}

/// The modules that import each other, also by way of others.
fn circles(graph: &Graph) -> BTreeSet<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<String>> =
        graph.keys().map(|module| (module, reached(module, graph))).collect();
    (graph.keys().filter(|module| reached[module].contains(*module)))
        .map(|module| reached[module].iter().filter(|other| reached[other].contains(module)).cloned().collect())
        .collect()
}

#[test]
fn no_files_import_each_other() {
    for name in ["urlset-core", "urlset-engine", "urlset-net", "urlset-python"] {
        assert_eq!(circles(&graph(name)), BTreeSet::new(), "these files of {name} import each other");
    }
}

#[test]
fn the_core_and_the_engine_have_no_sockets() {
    for name in ["urlset-core", "urlset-engine"] {
        let with_sockets = sources(name).into_iter().filter(|(_, code)| code.contains("std::net::Tcp"));
        assert_eq!(with_sockets.map(|(module, _)| module).collect::<Vec<_>>(), [""; 0], "{name}");
        let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("a manifest");
        assert!(!["tokio", "hyper", "rustls", "urlset-net"].iter().any(|other| manifest.contains(other)), "{name}");
    }
}

/// The folder or file of a room in which a module is: `write::store` for `write::store::run`.
fn part(module: &str) -> Option<String> {
    let mut names = module.split("::");
    Some(format!("{}::{}", names.next()?, names.next()?))
}

#[test]
fn no_folders_of_a_room_import_each_other() {
    for name in ["urlset-core", "urlset-engine", "urlset-net", "urlset-python"] {
        let mut parts = Graph::new();
        for (module, imports) in graph(name) {
            let Some(own) = part(&module) else { continue };
            let mut others: BTreeSet<String> = imports.iter().filter_map(|import| part(import)).collect();
            others.remove(&own);
            parts.entry(own).or_default().append(&mut others);
        }
        assert_eq!(circles(&parts), BTreeSet::new(), "these parts of {name} import each other");
    }
}

/// The codes that the files of some rooms name as `catalogue::CODE`, with this word for the catalogue.
fn codes(rooms: &[&str], catalogue: &str) -> BTreeSet<String> {
    let sources = sources("urlset-core");
    let of_rooms = sources.iter().filter(|(module, _)| rooms.contains(&room(module)));
    let tails = of_rooms.flat_map(|(_, code)| code.split(catalogue).skip(1));
    let codes = tails.map(|tail| tail.chars().take_while(|next| next.is_ascii_alphanumeric()).collect::<String>());
    codes.filter(|code| code.starts_with(|first: char| first.is_ascii_uppercase())).collect()
}

#[test]
fn reading_names_the_rules_of_the_grammar_and_no_others() {
    let graph = graph("urlset-core");
    let reading = graph.iter().filter(|(module, _)| ["read", "decode"].contains(&room(module)));
    let wrong: Vec<_> = reading.filter(|(_, imports)| imports.contains("diagnostic::catalogue")).collect();
    assert!(wrong.is_empty(), "these name rules beyond the grammar: {wrong:?}");

    let (sources, path) = (sources("urlset-core"), "diagnostic::grammar");
    let listed: BTreeSet<String> = paths(&sources[path])
        .iter()
        .filter_map(|path| path.strip_prefix("super::catalogue::").filter(|code| !code.is_empty()))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, codes(&["read", "decode"], "grammar::"), "{path} lists what reading reports");
    // An unexpected node is the grammar's where recovery had to move or to drop it, and the linter's where it was skipped;
    // a Sitemap line is the grammar's where only a lenient parser accepts it, and the linter's where its URL is in quotes.
    let shared: Vec<String> = codes(&["lint"], "catalogue::").intersection(&listed).cloned().collect();
    assert_eq!(shared, ["ROB002", "XML010"], "the linter judges what the grammar does not");
}
