/** The table of job keywords, and the values that a job's keywords have. */
import { afterScript } from './after-script.ts';
import { allowFailure } from './allow-failure.ts';
import { artifacts } from './artifacts.ts';
import { beforeScript } from './before-script.ts';
import { cache } from './cache.ts';
import { coverage } from './coverage.ts';
import { dependencies } from './dependencies.ts';
import { environment } from './environment.ts';
import { except } from './except.ts';
import { extendsKeyword } from './extends.ts';
import { hooks } from './hooks.ts';
import { idTokens } from './id-tokens.ts';
import { identity } from './identity.ts';
import { image } from './image.ts';
import { inherit } from './inherit.ts';
import { inputs } from './inputs.ts';
import { interruptible } from './interruptible.ts';
import type { Keyword } from './keyword.ts';
import { manualConfirmation } from './manual-confirmation.ts';
import { needs } from './needs.ts';
import { only } from './only.ts';
import { pages } from './pages.ts';
import { parallel } from './parallel.ts';
import { publish } from './publish.ts';
import { release } from './release.ts';
import { resourceGroup } from './resource-group.ts';
import { retry } from './retry.ts';
import { rules } from './rules.ts';
import { run } from './run.ts';
import { script } from './script.ts';
import { secrets } from './secrets.ts';
import { services } from './services.ts';
import { stage } from './stage.ts';
import { startIn } from './start-in.ts';
import { tags } from './tags.ts';
import { timeout } from './timeout.ts';
import { trigger } from './trigger.ts';
import { variables } from './variables.ts';
import { when } from './when.ts';

const TABLE = {
  script,
  before_script: beforeScript,
  after_script: afterScript,
  stage,
  extends: extendsKeyword,
  variables,
  inherit,
  rules,
  only,
  except,
  when,
  start_in: startIn,
  allow_failure: allowFailure,
  needs,
  dependencies,
  artifacts,
  cache,
  retry,
  timeout,
  interruptible,
  tags,
  coverage,
  image,
  services,
  environment,
  resource_group: resourceGroup,
  parallel,
  hooks,
  release,
  trigger,
  run,
  id_tokens: idTokens,
  secrets,
  inputs,
  pages,
  publish,
  manual_confirmation: manualConfirmation,
  identity,
};

type Table = typeof TABLE;
export type JobKeyword = keyof Table;
export type JobConfig = { readonly [K in JobKeyword]?: ReturnType<Table[K]['normalise']> };

export const JOB_KEYWORDS: ReadonlyMap<string, Keyword<unknown>> = new Map(Object.entries(TABLE));
export const INHERITABLE: readonly JobKeyword[] = (Object.keys(TABLE) as JobKeyword[]).filter(
  (name) => JOB_KEYWORDS.get(name)?.inheritable,
);
