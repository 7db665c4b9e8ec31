/** Picture, name, description, topics, visibility and default branch. */
import { Input, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { topicNames } from '../../lib/topics.ts';
import { TagsInput } from '../../ui/Choices.tsx';
import { DescriptionField } from '../../ui/DescriptionField.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { changedAddress, NameFields } from '../../ui/NameFields.tsx';
import { PictureField } from '../../ui/PictureField.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { useProject } from '../projects/useProject.ts';
import { VisibilityField } from '../projects/VisibilityField.tsx';
import { Save } from './Save.tsx';
import { useProjectForm } from './useProjectForm.ts';

function Fields() {
  const { project } = useProject();
  const [name, setName] = useState(project.name);
  const [address, setAddress] = useState(project.path);
  const [description, setDescription] = useState(project.description ?? '');
  const [topics, setTopics] = useState(project.topics);
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed, 200);
  const { data: known = [] } = useQuery({ ...topicNames(wanted), placeholderData: keepPreviousData });
  const [visibility, setVisibility] = useState(project.visibility);
  const [branch, setBranch] = useState(project.default_branch);
  const sending = useProjectForm(() => ({
    name,
    ...(address === project.path ? {} : { path: address }),
    description,
    topics,
    visibility,
    ...(branch && branch !== project.default_branch ? { default_branch: branch } : {}),
  }));
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <NameFields
          {...{ name, changeName: setName, address, changeAddress: setAddress }}
          about={changedAddress}
          addressRequired
          reason={sending.reason}
        />
        <DescriptionField value={description} change={setDescription} reason={sending.reason} />
        <TagsInput
          label="Topics"
          description="Topics that describe the project. Press Enter to add."
          value={topics}
          onChange={setTopics}
          data={known}
          onSearchChange={setTyped}
          error={sending.reason('topics')}
        />
        {project.empty_repo || !branch ? null : (
          <Input.Wrapper label="Default branch" labelElement="div">
            <div>
              <RefPicker value={branch} choose={setBranch} label="Default branch" />
            </div>
          </Input.Wrapper>
        )}
        <VisibilityField value={visibility} change={setVisibility} reason={sending.reason} />
        <Save pending={sending.pending} done={sending.done} />
      </Stack>
    </form>
  );
}

export function GeneralSettings() {
  const { project, path } = useProject();
  const cache = useQueryClient();
  const params = { path: { id: path } };
  return (
    <>
      <h2>General</h2>
      <PictureField
        src={project.avatar_url}
        name={project.name}
        alt="Project avatar"
        save={async (form) => {
          await unwrap(client.PUT('/projects/{id}', { params, body: { avatar: null }, bodySerializer: () => form }));
          await cache.invalidateQueries({ queryKey: ['project', path], exact: true });
        }}
      />
      <Fields />
    </>
  );
}
