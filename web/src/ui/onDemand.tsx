/** Menus and dialogs that are loaded when somebody wants them: most pages are read without one. */
import {
  type ComponentType,
  cloneElement,
  type LazyExoticComponent,
  lazy,
  type ReactElement,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** The button of a menu. */
export type MenuButton = ReactElement<{
  onPointerEnter?: () => void;
  onFocus?: () => void;
  onClick?: () => void;
  'aria-haspopup'?: 'menu' | 'dialog' | 'listbox';
  'aria-expanded'?: boolean;
  ref?: RefObject<HTMLButtonElement | null>;
}>;

/** A component that is loaded when it is wanted. */
export interface OnDemand<P> {
  readonly Component: LazyExoticComponent<ComponentType<P>>;
  /** Loads it for later. When that fails, wanting it says so. */
  fetchEarly(): void;
}

export const onDemand = <P extends object>(load: () => Promise<{ default: ComponentType<P> }>): OnDemand<P> => ({
  Component: lazy(load),
  fetchEarly: () => void load().catch(() => undefined),
});

interface MenuProps<P extends { readonly target: MenuButton }> {
  readonly of: OnDemand<P>;
  readonly target: MenuButton;
  /** Of the menu, besides its button. */
  readonly props: Omit<P, 'target'>;
}

/** A button whose menu is loaded when it is pressed; fetched before that, when it is pointed at or focused. */
export function MenuOnDemand<P extends { readonly target: MenuButton }>({
  of,
  target,
  props,
}: MenuProps<P>): ReactNode {
  const [wanted, setWanted] = useState(false);
  const button = cloneElement(target, {
    onPointerEnter: of.fetchEarly,
    onFocus: of.fetchEarly,
    onClick: () => setWanted(true),
    'aria-haspopup': target.props['aria-haspopup'] ?? 'menu',
    'aria-expanded': false,
  });
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <of.Component {...({ ...props, target } as P)} />
    </Suspense>
  );
}

/**
 * For a menu that was loaded because its button was pressed: it opens as soon as it is there. The button is another
 * element now, which takes over the focus, so that closing the menu gives it back.
 */
export function useOpensAtOnce(target: MenuButton, open: () => void): MenuButton {
  const button = useRef<HTMLButtonElement>(null);
  const first = useRef(open);
  useLayoutEffect(() => {
    button.current?.focus({ preventScroll: true });
    first.current();
  }, []);
  return cloneElement(target, { ref: button });
}

interface DialogProps<P extends { readonly opened: boolean }> {
  readonly of: OnDemand<P>;
  readonly props: P;
}

/** Mounted closed, so that the dialog knows where the focus was when it opens. */
function Arrived<P extends { readonly opened: boolean }>({ of, props }: DialogProps<P>): ReactNode {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return <of.Component {...props} opened={mounted && props.opened} />;
}

/** A dialog that is loaded when it is first opened. */
export function DialogOnDemand<P extends { readonly opened: boolean }>({ of, props }: DialogProps<P>): ReactNode {
  const [wanted, setWanted] = useState(props.opened);
  if (props.opened && !wanted) setWanted(true);
  if (!wanted) return null;
  return (
    <Suspense fallback={null}>
      <Arrived of={of} props={props} />
    </Suspense>
  );
}
