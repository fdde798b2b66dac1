<?php
// Answers for what is no file, as the rewrite rules of WordPress have a web server do.
$file = $_SERVER['DOCUMENT_ROOT'] . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_file($file)) {
    return false;
}
if (is_file($file . 'index.php') && strpos($file, '/wp-') !== false) {
    require $file . 'index.php';
    return;
}
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
