/** Buttons that are links of the router. */
import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, createElement, forwardRef } from 'react';

type AnchorButtonProps = ButtonProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>;

const AnchorButton = forwardRef<HTMLAnchorElement, AnchorButtonProps>((props, ref) =>
  createElement(Button<'a'>, { size: 'xs', variant: 'default', ...props, component: 'a', ref }),
);

/** A small quiet button unless told otherwise. */
export const LinkButton = createLink(AnchorButton);
