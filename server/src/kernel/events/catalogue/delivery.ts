/** Facts about releases and deployments. */
import Type from 'typebox';
import { defineFact, defineFacts, instant, nullable, payload } from '../fact.ts';

export const releaseFacts = defineFacts('release', ['created', 'updated'], payload({ id: Type.Integer() }));
/** With what the release was: nobody can look it up any more. */
export const releaseDeleted = defineFact(
  'release.deleted',
  payload({
    id: Type.Integer(),
    tag: Type.String(),
    sha: nullable(Type.String()),
    name: nullable(Type.String()),
    description: nullable(Type.String()),
    created_at: instant,
    released_at: instant,
    links: Type.Array(
      payload({
        id: Type.Integer(),
        link_type: Type.Enum(['other', 'runbook', 'image', 'package']),
        name: Type.String(),
        url: Type.String(),
      }),
    ),
  }),
);

/** A deployment has got another status, at that time. */
export const deploymentChanged = defineFact(
  'deployment.changed',
  payload({ deployment_id: Type.Integer(), status: Type.String(), changed_at: instant }),
);

/** A feature flag is switched on or off, as it was then. */
export const featureFlagToggled = defineFact(
  'feature_flag.toggled',
  payload({
    flag_id: Type.Integer(),
    name: Type.String(),
    description: nullable(Type.String()),
    active: Type.Boolean(),
  }),
);

export const deliveryFacts = [
  ...Object.values(releaseFacts),
  releaseDeleted,
  deploymentChanged,
  featureFlagToggled,
] as const;
