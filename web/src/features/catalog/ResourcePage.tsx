/** A project of the catalog: its README, its versions, and the components of the chosen one. */
import { Avatar, NativeSelect, Text } from '@mantine/core';
import { useQuery, useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { catalogParams, catalogResource, catalogVersion, catalogVersions } from '../../lib/catalog.ts';
import { fileInView } from '../../lib/repository.ts';
import { toSegment } from '../../lib/urls.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { decodeText } from '../files/content.ts';
import { MissingPage } from '../frame/ErrorPages.tsx';
import { Component } from './Component.tsx';
import classes from './catalog.module.css';

const from = '/explore/catalog/$group/$';

function Readme({ path, commit, file }: { path: string; commit: string; file: string }) {
  const { data } = useQuery(fileInView(path, commit, file));
  if (!data) return null;
  return (
    <section className={classes.readme} aria-label={file}>
      {typeof data.html === 'string' ? (
        <MarkdownBody html={data.html} of={{ kind: 'project', path }} />
      ) : data.content === null ? null : (
        <pre>{decodeText(data.content)}</pre>
      )}
    </section>
  );
}

function Version({ path, name, latest }: { path: string; name: string; latest: string }) {
  const { data: version } = useSuspenseQuery(catalogVersion(path, name));
  const versions = useSuspenseInfiniteQuery(catalogVersions(path));
  const navigate = useNavigate();
  const listed = versions.data.pages.flatMap(({ items }) => items.map((each) => each.version));
  const choices = listed.includes(name) ? listed : [name, ...listed];
  return (
    <>
      <div className={classes.facts}>
        <NativeSelect
          aria-label="Version"
          value={name}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            const search = { version: chosen === latest ? undefined : chosen };
            void navigate({ to: from, params: catalogParams(path), search });
          }}
          data={choices.map((value) => ({ value, label: value === latest ? `${value} (latest)` : value }))}
        />
        <ShowMore more={versions.hasNextPage} pending={versions.isFetchingNextPage} show={versions.fetchNextPage} />
        <span>
          Released <TimeAgo at={version.released_at} />
        </span>
        {version.published_by ? <UserChip user={version.published_by} /> : null}
        <Link to="/p/$path/releases/$" params={{ path: toSegment(path), _splat: name }}>
          Release notes
        </Link>
      </div>
      <h2>Components</h2>
      {version.components.map((component) => (
        <Component key={component.name} component={component} path={path} commit={version.commit_id} />
      ))}
      <Readme path={path} commit={version.commit_id} file={version.readme_path} />
    </>
  );
}

export default function ResourcePage() {
  const { group, _splat } = useParams({ from });
  const { version } = useSearch({ from });
  const { data: resource } = useSuspenseQuery(catalogResource(`${group}/${_splat}`));
  const { latest_version: latest } = resource;
  if (resource.created_at === null) return <MissingPage />;
  return (
    <Page
      title={`${resource.full_path} · CI/CD catalog`}
      heading={
        <span className={classes.head}>
          <Avatar
            src={resource.avatar_url}
            name={resource.name}
            size={32}
            radius="sm"
            alt=""
            color="race"
            variant="light"
            aria-hidden
          />
          {resource.name}
        </span>
      }
      actions={
        <>
          <LinkButton to="/o/$path" params={{ path: toSegment(resource.full_path) }}>
            Go to project
          </LinkButton>
          <LinkButton to="/explore/catalog">CI/CD catalog</LinkButton>
        </>
      }
    >
      {resource.description ? (
        <Text mb="md" className={classes.about}>
          {resource.description}
        </Text>
      ) : null}
      {latest ? (
        <Version path={resource.full_path} name={version ?? latest.version} latest={latest.version} />
      ) : (
        <EmptyState title="No versions yet">Release a semantic version, for instance 1.0.0.</EmptyState>
      )}
    </Page>
  );
}
