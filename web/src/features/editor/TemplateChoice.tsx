/** Starts a description with one of the texts that the target project keeps; what was typed is not replaced unasked. */
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type TemplateType, textTemplate, textTemplates } from '../../lib/templates.ts';
import { FormError } from '../../ui/FormError.tsx';

interface TemplateChoiceProps {
  /** Path of the project that keeps them. */
  readonly project: string;
  readonly type: TemplateType;
  /** The key of the one that the form begins with. */
  readonly initial?: string | undefined;
  /** Whether somebody typed something that would be lost. */
  readonly typed: boolean;
  /** Null for what the form starts with. */
  readonly choose: (text: string | null) => void;
}

export function TemplateChoice({ project, type, initial = '', typed, choose }: TemplateChoiceProps) {
  const { data: templates = [] } = useQuery(textTemplates(project, type));
  const [key, setKey] = useState(initial);
  const [asked, setAsked] = useState<string | null>(null);
  const taking = useMutation({
    mutationFn: async (wanted: string) => (wanted === '' ? null : textTemplate(project, type, wanted)),
    onSuccess: (text, wanted) => {
      setKey(wanted);
      setAsked(null);
      choose(text);
    },
  });
  if (templates.length === 0) return null;
  return (
    <div>
      <NativeSelect
        label="Template"
        value={asked ?? key}
        disabled={taking.isPending}
        onChange={(event) => {
          const wanted = event.currentTarget.value;
          if (typed) setAsked(wanted);
          else taking.mutate(wanted);
        }}
        data={[
          { value: '', label: 'Default template' },
          ...templates.map((each) => ({ value: each.key, label: each.name })),
        ]}
      />
      <FormError error={taking.error} />
      {asked === null ? null : (
        <Group gap="sm" mt="xs" role="group" aria-label="Replace the description">
          <Text size="sm">What you wrote will be replaced.</Text>
          <Button size="xs" variant="default" loading={taking.isPending} onClick={() => taking.mutate(asked)}>
            Replace
          </Button>
          <Button size="xs" variant="default" onClick={() => setAsked(null)}>
            Keep
          </Button>
        </Group>
      )}
    </div>
  );
}
