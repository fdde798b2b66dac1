<?php
// Installs WordPress, and adds the pages that the JSON on standard input has.
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = $argv[1];
require getcwd() . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Tea', 'gardener', 'gardener@shop.example', true, '', 'of a test');
global $wp_rewrite;
update_option('permalink_structure', '/%postname%/');
update_option('posts_per_page', 5);
$wp_rewrite->init();
foreach (json_decode(stream_get_contents(STDIN), true) as $page) {
    $category = wp_create_category($page['category']);
    $id = wp_insert_post([
        'post_title' => $page['title'],
        'post_name' => $page['slug'],
        'post_content' => $page['content'],
        'post_date' => $page['date'],
        'post_type' => $page['type'],
        'post_status' => 'publish',
        'post_author' => 1,
        'post_category' => [$category],
        'tags_input' => $page['tags'],
    ], true);
    if (is_wp_error($id)) {
        exit($id->get_error_message() . "\n");
    }
}
create_initial_taxonomies(); // for the permalinks that they have now
flush_rewrite_rules();
