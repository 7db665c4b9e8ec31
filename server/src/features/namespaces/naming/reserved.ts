/**
 * Words that no path may be, because pages and routes of the ecosystem have them. Only data: what is done with it is in
 * naming.ts.
 */

/** Usernames and groups at the top. */
export const reservedAtTheTop: ReadonlySet<string> = new Set([
  '-',
  '.well-known',
  '404.html',
  '422.html',
  '500.html',
  '502.html',
  '503.html',
  'admin',
  'api',
  'apple-touch-icon.png',
  'assets',
  'dashboard',
  'deploy.html',
  'explore',
  'favicon.ico',
  'favicon.png',
  'files',
  'groups',
  'health_check',
  'help',
  'import',
  'jwt',
  'login',
  'oauth',
  'profile',
  'projects',
  'public',
  'robots.txt',
  's',
  'search',
  'sitemap',
  'sitemap.xml',
  'sitemap.xml.gz',
  'slash-command-logo.png',
  'snippets',
  'unsubscribes',
  'uploads',
  'users',
  'v2',
]);

/** Projects and groups below others. Those with a slash are ends of whole paths, below the top. */
export const reservedBelow: ReadonlySet<string> = new Set([
  '-',
  'badges',
  'blame',
  'blob',
  'builds',
  'commits',
  'create',
  'create_dir',
  'edit',
  'environments/folders',
  'files',
  'find_file',
  'gitlab-lfs/objects',
  'info/lfs/objects',
  'new',
  'preview',
  'raw',
  'refs',
  'tree',
  'update',
  'wikis',
]);

/** Ends of usernames that would be taken for the format of an answer. */
export const reservedExtensions: ReadonlySet<string> = new Set(
  `html htm xhtml text txt js css ics csv vcf vtt png jpg jpeg jpe pjpeg gif bmp tiff tif svg webp mpeg mpg mpe mp3 mp2 mpga
   mp4 m4a m4v ogg webm weba opus wav aac flac xml rss atom yaml yml json jsonapi ndjson pdf zip gzip gz md turbo_stream woff
   woff2 ttf otf`.split(/\s+/),
);
