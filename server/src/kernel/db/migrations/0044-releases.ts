/** Releases: what is published of a project at a tag, with links to files, and what was noted of it at the time. */
import type { Migration } from './index.ts';

const releases = `
create table releases (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects (id) on delete cascade,
  -- The tag may be gone, when somebody removed it around the service.
  tag text not null check (tag <> '' and char_length(tag) <= 1024),
  sha text,
  name text check (char_length(name) <= 255),
  description text check (char_length(description) <= 1000000),
  author_id bigint references users (id) on delete set null,
  released_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index releases_tag on releases (project_id, tag);
create index releases_released on releases (project_id, released_at, id);
create index releases_created on releases (project_id, created_at, id);
create index releases_everywhere on releases (released_at, id);
create index releases_author on releases (author_id);

create table release_links (
  id bigint generated always as identity primary key,
  release_id bigint not null references releases (id) on delete cascade,
  name text not null check (name <> '' and char_length(name) <= 255),
  url text not null check (url <> '' and char_length(url) <= 2048),
  -- Where the file is found below the release, with a slash in front.
  filepath text check (filepath like '/%' and char_length(filepath) <= 128),
  link_type text not null default 'other' check (link_type in ('other', 'runbook', 'image', 'package')),
  created_at timestamptz(3) not null default now()
);
create unique index release_links_name on release_links (release_id, name);
create unique index release_links_url on release_links (release_id, md5(url));
create unique index release_links_filepath on release_links (release_id, filepath) where filepath is not null;

create table release_evidences (
  id bigint generated always as identity primary key,
  release_id bigint not null references releases (id) on delete cascade,
  -- SHA-256 of the summary as it is told, in hex.
  sha text not null,
  summary text not null,
  collected_at timestamptz(3) not null default now()
);
create index release_evidences_release on release_evidences (release_id, id);
`;

export const releasesMigration: Migration = { name: '0044-releases', statements: [releases] };
