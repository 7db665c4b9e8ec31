/** Name, description, visibility and default branch. */
import { Input, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormError } from '../../ui/FormError.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { useProject } from '../projects/useProject.ts';
import { VisibilityField } from '../projects/VisibilityField.tsx';
import { Save } from './Save.tsx';
import { useProjectForm } from './useProjectForm.ts';

export function GeneralSettings() {
  const { project } = useProject();
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description ?? '');
  const [topics, setTopics] = useState(project.topics);
  const [visibility, setVisibility] = useState(project.visibility);
  const [branch, setBranch] = useState(project.default_branch);
  const sending = useProjectForm(() => ({
    name,
    description,
    topics,
    visibility,
    ...(branch && branch !== project.default_branch ? { default_branch: branch } : {}),
  }));
  return (
    <form {...sending.form}>
      <h2>General</h2>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Name"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={sending.reason('description')}
        />
        <TagsInput
          label="Topics"
          description="Words that describe the project; Enter after each"
          value={topics}
          onChange={setTopics}
          error={sending.reason('topics')}
        />
        {project.empty_repo || !branch ? null : (
          <Input.Wrapper label="Default branch" labelElement="div">
            <div>
              <RefPicker value={branch} choose={setBranch} label="Default branch" />
            </div>
          </Input.Wrapper>
        )}
        <VisibilityField
          value={visibility}
          change={setVisibility}
          error={sending.reason('visibility_level') ?? sending.reason('visibility')}
        />
        <Save pending={sending.pending} done={sending.done} />
      </Stack>
    </form>
  );
}
