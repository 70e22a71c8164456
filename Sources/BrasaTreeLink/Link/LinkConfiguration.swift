package import BrasaBackoff

/// How a link behaves.
package struct LinkConfiguration: Sendable {
    /// Where it begins, perhaps with a port.
    package var host: String
    /// Whether it stays there, whatever the server says: so it is with emulators.
    package var isHostFixed = false
    /// Whether tokens are fetched; else `token` is the one there is.
    package var hasTokenProvider = false
    package var token: String?
    /// The first wait between attempts is a second, the longest half a minute.
    package var backoff = Self.delays
    /// For token, socket and the server's first word, each.
    package var patience = Duration.seconds(30)
    /// Something is sent when nothing was for so long, and something must come of it.
    package var keepaliveInterval = Duration.seconds(45)
    package var keepaliveTimeout = Duration.seconds(30)
    /// So long before a token ends, another one is fetched; halfway there where there is less time left.
    package var renewalLead = Duration.seconds(300)
    /// A connection that lived so long did not fail.
    package var healthyAfter = Duration.seconds(30)
    /// Requests that wait for their answer, and the bytes of them; the others wait to be sent. Servers have a bound, too.
    package var requestsMax = 1_000
    package var requestBytesMax = 4 << 20
    /// What the server may send as one message.
    package var messageBytesMax = 256 << 20
    /// From 0 to 1.
    package var chance: @Sendable () -> Double = { .random(in: 0..<1) }

    package init(host: String) {
        self.host = host
    }

    private static var delays: BackoffDelays.Settings {
        var settings = BackoffDelays.Settings()
        settings.factor = 1.3
        settings.max = .seconds(30)
        return settings
    }
}
