"""What schemathesis does not know by itself: bodies of NDJSON, and names of things that are there."""

import json

import schemathesis

DOCUMENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 40},
        "text": {"type": "string", "maxLength": 400},
        "title": {"type": "string"},
        "source": {"type": "string"},
    },
}


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    if isinstance(value, bytes):
        return value
    lines = value if isinstance(value, list) else [value]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@schemathesis.serializer("application/octet-stream", "text/html")
def plain(ctx, value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    for path, operations in raw_schema["paths"].items():
        for operation in operations.values():
            content = operation.get("requestBody", {}).get("content", {})
            if "application/x-ndjson" in content:
                content["application/x-ndjson"]["schema"] = {"type": "array", "items": DOCUMENT}


# Half of the requests go to things that are there, so that more than 404 is seen.
NAMES = {"collection": ["demo", "blog"], "pool": ["pool"], "result": [1, 2], "job": [1, 2],
         "cluster": [0, 1], "pair": [0, 1], "method": ["anchor", "minhash"], "id": ["rg-03", "9004"]}


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    if path_parameters and hash(json.dumps(path_parameters, sort_keys=True, default=str)) % 4:
        for name in path_parameters:
            if name in NAMES:
                values = NAMES[name]
                path_parameters[name] = values[len(str(path_parameters[name])) % len(values)]
    return path_parameters


# Waiting for documents that nobody adds shows nothing; the wait itself has a test of its own.
@schemathesis.hook
def map_query(ctx, query):
    if query and "wait" in query:
        query["wait"] = 0
    return query
