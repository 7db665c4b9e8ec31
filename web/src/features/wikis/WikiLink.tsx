/** Links within a wiki, at the addresses of projects or of groups. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LinkButton } from '../../ui/links.ts';
import type { WikiInView } from './useWiki.ts';

export interface WikiSearch {
  readonly view?: string | undefined;
  readonly version_id?: string | undefined;
  readonly page?: number | undefined;
  readonly title?: string | undefined;
}

interface Target {
  readonly of: WikiInView;
  /** None: where the wiki begins. */
  readonly slug?: string | undefined;
  readonly search?: WikiSearch;
}

const targetOf = ({ of, slug, search = {} }: Target) => ({
  to: of.kind === 'project' ? ('/p/$path/wikis/$' as const) : ('/g/$path/wikis/$' as const),
  params: { path: of.segment, _splat: slug ?? '' },
  search,
});

interface WikiLinkProps extends Target {
  readonly current?: boolean;
  readonly newTab?: boolean;
  readonly children: ReactNode;
}

export function WikiLink({ current, newTab, children, ...target }: WikiLinkProps) {
  return (
    <Link
      {...targetOf(target)}
      data-entry
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={current ? 'page' : undefined}
      {...(newTab ? { target: '_blank' } : {})}
    >
      {children}
    </Link>
  );
}

export function WikiButton({ filled, children, ...target }: Target & { filled?: boolean; children: ReactNode }) {
  return (
    <LinkButton {...targetOf(target)} variant={filled ? 'filled' : 'default'}>
      {children}
    </LinkButton>
  );
}

export function useWikiNavigate() {
  const navigate = useNavigate();
  return (target: Target) => navigate(targetOf(target));
}
