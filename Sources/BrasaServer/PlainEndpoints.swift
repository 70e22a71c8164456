import BrasaHTTP
import BrasaTreeDoor
import BrasaTreeSocket

/// What is answered over plain HTTP: `GET /` for tools that wait for the emulator, `/livez` and `/readyz` for probes, `GET
/// /metrics` for Prometheus unless that has an address of its own, `POST /token` for clients with a key file, the emulator's
/// endpoints, the Realtime Database's REST on every path that ends with `.json`, and its long polling at `/.lp`.
enum PlainEndpoints {
    static func router(
        emulator: EmulatorEndpoints?,
        trees: TreeDoor,
        polls: TreePollDoor,
        tokens: TokenEndpoint,
        observation: Observation,
        hasMetrics: Bool
    ) -> HTTPRouter {
        var router = HTTPRouter()
        router.get("/", for: .everybody) { HTTPAnswer(200, "Ok\n") }
        observation.addProbes(to: &router)
        if hasMetrics {
            router.get("/metrics", for: .inspectors) { observation.metrics }
        } else {
            router.refuse("/metrics") { _ in HTTPAnswer(404, "the metrics are served on --metrics-address\n") }
        }
        tokens.register(in: &router)
        trees.register(in: &router)
        polls.register(in: &router)
        if let emulator { emulator.register(in: &router) } else { EmulatorEndpoints.refuse(in: &router) }
        router.refuse("/.ws") { _ in
            HTTPAnswer(426, "a WebSocket of version 5 is served here, for a database: /.ws?v=5&ns=NAME\n")
        }
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        let otherwise: @Sendable (String) -> HTTPAnswer = { _ in HTTPAnswer(404, "nothing is served here\n") }
        router.add(methods, "/{*}", for: .everybody, otherwise: otherwise) { request, done in
            done(Self.nothing(at: request))
        }
        return router
    }

    private static func nothing(at request: HTTPRequest) -> HTTPAnswer {
        // Clients of the Realtime Database forget it, and know the text.
        if HTTPQuery.parameters(request.query)?.contains(where: { $0.name == "ns" }) ?? false {
            return HTTPAnswer(404, "append .json to your request URI to use the REST API.\n")
        }
        // A method's path, and no call of it: it would say so.
        if request.method == "POST", request.parameters.count == 2 {
            return HTTPAnswer(415, "methods are called by application/grpc\n")
        }
        return HTTPAnswer(404, "nothing is served at \(request.path)\n")
    }
}
