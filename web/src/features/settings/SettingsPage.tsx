/** Settings of a project: one list on the left, one part at a time. */
import { Link, useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/Page.tsx';
import sideList from '../../ui/side-list.module.css';
import { useProject } from '../projects/useProject.ts';
import { DangerSettings } from './DangerSettings.tsx';
import { GeneralSettings } from './GeneralSettings.tsx';
import { MergeSettings } from './MergeSettings.tsx';
import { RunnerSettings } from './RunnerSettings.tsx';
import classes from './settings.module.css';
import { AccessTokenSettings, DeployTokenSettings } from './TokenSettings.tsx';
import { VariableSettings } from './VariableSettings.tsx';

const parts = {
  general: ['General', GeneralSettings],
  merge: ['Merge requests', MergeSettings],
  variables: ['CI/CD variables', VariableSettings],
  runners: ['Runners', RunnerSettings],
  'access-tokens': ['Access tokens', AccessTokenSettings],
  'deploy-tokens': ['Deploy tokens', DeployTokenSettings],
  delete: ['Delete', DangerSettings],
} as const;

export default function SettingsPage() {
  const { part = 'general' } = useSearch({ from: '/p/$path/settings' });
  const { project, segment } = useProject();
  const name = part in parts ? (part as keyof typeof parts) : 'general';
  const [title, Part] = parts[name];
  return (
    <Page title={`${title} · ${project.name_with_namespace}`} heading="Settings">
      <div className={classes.layout}>
        <nav aria-label="Settings" className={sideList.list}>
          {Object.entries(parts).map(([key, [label]]) => (
            <Link
              key={key}
              to="/p/$path/settings"
              params={{ path: segment }}
              search={{ part: key === 'general' ? undefined : key }}
              activeOptions={{ exact: true }}
              aria-current={key === name ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
        <section aria-label={title} className={classes.part}>
          <Part key={name} />
        </section>
      </div>
    </Page>
  );
}
