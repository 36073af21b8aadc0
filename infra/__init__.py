"""The CDK application: what `cdk deploy` makes of Tributary."""

import os

# CDK runs on Node; the bindings print twelve lines about the age of a version that works.
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")
os.environ.setdefault("JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION", "true")
