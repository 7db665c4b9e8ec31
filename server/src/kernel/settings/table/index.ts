/**
 * The typed table of all application settings, one row per attribute. Types, defaults, validation, the API's schemas,
 * the page of the administration and the operator's page are made from it. A new setting is one line in a file here.
 */
import type { Row } from '../row.ts';
import { accounts } from './accounts.ts';
import { ci } from './ci.ts';
import { content } from './content.ts';
import { instance } from './instance.ts';
import { limits } from './limits.ts';
import { own } from './own.ts';
import { packages } from './packages.ts';
import { projects } from './projects.ts';
import { throttles } from './throttles.ts';

const settingTable = {
  ...accounts,
  ...projects,
  ...ci,
  ...limits,
  ...throttles,
  ...content,
  ...packages,
  ...instance,
  ...own,
};

export type SettingName = keyof typeof settingTable;

/** The value of every setting by the name that the settings API gives it. */
export type ApplicationSettings = {
  readonly [K in SettingName]: (typeof settingTable)[K] extends Row<infer T> ? T : never;
};

/** The same rows without their value types, for code that goes through all of them. */
export const settingRows: Readonly<Record<SettingName, Row<unknown>>> = settingTable;
export const settingNames = Object.keys(settingTable) as SettingName[];

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(settingTable, name);

/**
 * Deprecated names of a setting that goes by another name now. Both are answered, both are taken, and they always have
 * the same value.
 */
export const replacedSettings = {
  admin_notification_email: 'abuse_notification_email',
  allow_local_requests_from_hooks_and_services: 'allow_local_requests_from_web_hooks_and_services',
  asset_proxy_whitelist: 'asset_proxy_allowlist',
  password_authentication_enabled: 'password_authentication_enabled_for_web',
  pre_receive_secret_detection_enabled: 'secret_push_protection_available',
  signin_enabled: 'password_authentication_enabled_for_web',
  throttle_unauthenticated_enabled: 'throttle_unauthenticated_web_enabled',
  throttle_unauthenticated_period_in_seconds: 'throttle_unauthenticated_web_period_in_seconds',
  throttle_unauthenticated_requests_per_period: 'throttle_unauthenticated_web_requests_per_period',
} as const satisfies Readonly<Record<string, SettingName>>;
