/** Checks a configuration of CI/CD in the surroundings of a project: its errors, its jobs, and what it is with all includes merged. */
import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { forbidden, type Schemas } from '../../lib/api.ts';
import { configuration, lint } from '../../lib/ci.ts';
import { CodeView } from '../../ui/code/CodeView.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { decodeText } from '../files/content.ts';
import files from '../files/files.module.css';
import { RefPicker } from '../files/RefPicker.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { CommitConfiguration } from './CommitConfiguration.tsx';
import { ConfigurationField } from './ConfigurationField.tsx';
import classes from './lint.module.css';

type Result = Schemas['LintResult'];

function Messages({ title, color, lines }: { title: string; color: string; lines: readonly string[] }) {
  return (
    <Alert color={color} variant="light" title={title} icon={<IconAlertCircle size={18} />}>
      <ul className={classes.messages}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Alert>
  );
}

function Jobs({ jobs }: { jobs: NonNullable<Result['jobs']> }) {
  return (
    <section>
      <h2>Jobs</h2>
      <DataList label="Jobs">
        {jobs.map((job) => (
          <DataRow
            key={job.name}
            title={job.name}
            meta={
              <>
                <span>Stage: {job.stage}</span>
                <span>When: {job.when}</span>
                {job.needs === null ? null : (
                  <span>Needs: {job.needs.map(({ name }) => name).join(', ') || 'nothing'}</span>
                )}
                {job.tag_list.length > 0 ? <span>Tags: {job.tag_list.join(', ')}</span> : null}
                {job.environment === null ? null : <span>Environment: {job.environment}</span>}
                {job.allow_failure ? <span>Allowed to fail</span> : null}
              </>
            }
          />
        ))}
      </DataList>
    </section>
  );
}

/** Right below the button, where it is seen without scrolling. */
function Verdict({ result }: { result: Result }) {
  return (
    <Stack gap="md" component="section" aria-label="Result">
      {result.valid ? (
        <Alert color="green" variant="light" icon={<IconCircleCheck size={18} />} role="status">
          The configuration is valid.
        </Alert>
      ) : (
        <Messages title="The configuration is not valid" color="red" lines={result.errors} />
      )}
      {result.warnings.length > 0 ? <Messages title="Warnings" color="yellow" lines={result.warnings} /> : null}
    </Stack>
  );
}

/** What the configuration makes, which may be long. */
function Details({ result }: { result: Result }) {
  return (
    <Stack gap="md">
      {result.jobs && result.jobs.length > 0 ? <Jobs jobs={result.jobs} /> : null}
      {result.includes.length > 0 ? (
        <section>
          <h2>Included files</h2>
          <DataList label="Included files">
            {result.includes.map((file) => (
              <DataRow
                key={`${file.type} ${file.location} ${file.context_project}`}
                title={file.blob ? <a href={file.blob}>{file.location}</a> : file.location}
                meta={<span>{file.type}</span>}
              />
            ))}
          </DataList>
        </section>
      ) : null}
      {result.merged_yaml ? (
        <section>
          <h2>Merged configuration</h2>
          <div className={files.box}>
            <CodeView text={result.merged_yaml} fileName="merged.yml" marked={false} />
          </div>
        </section>
      ) : null}
    </Stack>
  );
}

export default function LintPage() {
  const { project, path, segment, level: own } = useProject();
  if (own < level.developer) throw forbidden();
  const { data: file } = useSuspenseQuery(configuration(project));
  const [content, setContent] = useState(() => (file ? (decodeText(file.content) ?? '') : ''));
  const [simulates, setSimulates] = useState(false);
  const [ref, setRef] = useState(project.default_branch ?? 'main');
  const check = useMutation({ mutationFn: () => lint(path, { content, simulated: simulates ? ref : null }) });
  return (
    <Page
      title={`Pipeline editor · ${project.name_with_namespace}`}
      heading="Pipeline editor"
      actions={
        file ? (
          <LinkButton
            to="/p/$path/edit/$"
            params={{ path: segment, _splat: `${project.default_branch}/${file.file_path}` }}
          >
            Edit {file.file_path}
          </LinkButton>
        ) : null
      }
    >
      <Stack gap="md">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            check.mutate();
          }}
        >
          <Stack gap="sm">
            <ConfigurationField
              value={content}
              description={`${file ? `Starts with ${file.file_path} of the default branch. ` : ''}Suggestions as you type, or with Ctrl Space. Escape, then Tab leaves the editor.`}
              change={setContent}
              submit={() => check.mutate()}
            />
            <Group gap="sm">
              <Checkbox
                label="Simulate a pipeline for a branch or tag"
                checked={simulates}
                onChange={(event) => setSimulates(event.currentTarget.checked)}
              />
              {simulates ? <RefPicker value={ref} choose={setRef} label="Branch or tag of the pipeline" /> : null}
            </Group>
            <div>
              <Button type="submit" loading={check.isPending} disabled={content.trim() === ''}>
                Validate
              </Button>
            </div>
          </Stack>
        </form>
        <FormError error={check.error} />
        {check.data ? <Verdict result={check.data} /> : null}
        <CommitConfiguration content={content} file={file} />
        {check.data ? <Details result={check.data} /> : null}
      </Stack>
    </Page>
  );
}
