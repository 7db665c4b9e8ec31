/** Filters of a list that choose one of many: shown as fields, and loaded when somebody turns to one of them. */
import { Group, TextInput } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { type ComponentType, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import classes from './ui.module.css';

export interface ChoiceField {
  readonly label: string;
  readonly width: number;
  /** What it says while nothing is chosen. */
  readonly placeholder?: string;
  readonly value?: string;
}

interface Props<P> {
  load(): Promise<{ default: ComponentType<P> }>;
  readonly props: P;
  /** How the filters look until they are loaded. */
  readonly fields: readonly ChoiceField[];
  /** Something is chosen, which only the filters themselves can show. */
  readonly chosen: boolean;
}

export function ChoicesOnDemand<P extends object>({ load, props, fields, chosen }: Props<P>): ReactNode {
  const [Choices, setChoices] = useState<ComponentType<P> | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<{ readonly label: string; readonly pressed: boolean } | null>(null);
  const pressing = useRef(false);
  const loading = useRef(load);
  const show = useCallback(
    () =>
      void loading.current().then(
        ({ default: loaded }) => setChoices(() => loaded),
        // The page's boundary says that they could not be loaded.
        (error: unknown) =>
          setChoices(() => {
            throw error;
          }),
      ),
    [],
  );
  const want = (label: string, pressed: boolean) => {
    wanted.current = { label, pressed };
    show();
  };
  useEffect(() => {
    if (chosen) show();
  }, [chosen, show]);
  useLayoutEffect(() => {
    if (Choices === null || wanted.current === null) return;
    const { label, pressed } = wanted.current;
    wanted.current = null;
    const field = [...(box.current?.querySelectorAll('input') ?? [])].find((each) => each.ariaLabel === label);
    field?.focus({ preventScroll: true });
    if (pressed) field?.click();
  }, [Choices]);
  return (
    <div ref={box}>
      {Choices ? (
        <Choices {...props} />
      ) : (
        <Group
          gap="xs"
          mb="sm"
          className={classes.choices}
          onPointerEnter={() => void loading.current().catch(() => undefined)}
          onPointerDown={() => {
            pressing.current = true;
          }}
        >
          {fields.map(({ label, width, placeholder = '', value = '' }) => (
            <TextInput
              key={label}
              size="xs"
              w={width}
              pointer
              readOnly
              role="combobox"
              aria-haspopup="listbox"
              aria-expanded={false}
              aria-label={label}
              placeholder={placeholder}
              value={value}
              rightSection={<IconSelector size={14} aria-hidden />}
              rightSectionPointerEvents="none"
              // A press is answered when it is over: the field that it began on must not be gone by then.
              onFocus={() => {
                if (!pressing.current) want(label, false);
              }}
              onClick={() => want(label, true)}
            />
          ))}
        </Group>
      )}
    </div>
  );
}
