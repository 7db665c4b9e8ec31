/** Which branches a mirror has: all, protected ones, or those that match an expression. */
import { NativeSelect, TextInput } from '@mantine/core';

type Branches = 'all' | 'protected' | 'matching';

export interface Rule {
  readonly branches: Branches;
  readonly pattern: string;
}

export const ruleOf = (protectedOnly: boolean | undefined, pattern: string | null | undefined): Rule => ({
  branches: protectedOnly ? 'protected' : pattern ? 'matching' : 'all',
  pattern: pattern ?? '',
});

export function BranchRule({
  rule,
  change,
  reason,
}: {
  rule: Rule;
  change(rule: Rule): void;
  reason: string | undefined;
}) {
  return (
    <>
      <NativeSelect
        label="Branches"
        value={rule.branches}
        data={[
          { value: 'all', label: 'All branches' },
          { value: 'protected', label: 'Protected branches' },
          { value: 'matching', label: 'Branches that match a regular expression' },
        ]}
        onChange={(event) => change({ ...rule, branches: event.currentTarget.value as Branches })}
      />
      {rule.branches === 'matching' ? (
        <TextInput
          label="Regular expression"
          placeholder="^(main|release/.*)$"
          required
          value={rule.pattern}
          onChange={(event) => change({ ...rule, pattern: event.currentTarget.value })}
          error={reason}
        />
      ) : null}
    </>
  );
}
