"""What the CDK command line runs; see cdk.json."""

from infra.app import main

if __name__ == "__main__":
    main()
