/// A certificate for localhost that vouches for itself, of no worth outside these tests, valid for a hundred years.
enum SiteCertificate {
    static let chain = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBizCCATGgAwIBAgIUa3HLOVgqp0CPWKydUz9vkbEnt7owCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEc2l0ZTAgFw0yNjExMjIxNzA4MjVaGA8yMTI2MTAyOTE3MDgy
        NVowDzENMAsGA1UEAwwEc2l0ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAL/
        4EszbHwJ1I3dV8RxIh2jicoqS1ox2MuhOGOnAnTdMspejRG2EaKCV1zBah00PQ6F
        hTwa16WTWC9V38lS4LijaTBnMB0GA1UdDgQWBBTBn7fMIk06KcsIJ2EdRegJrese
        5zAfBgNVHSMEGDAWgBTBn7fMIk06KcsIJ2EdRegJrese5zAPBgNVHRMBAf8EBTAD
        AQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNIADBFAiAY/iw8
        PVGJRwv4+Clcw7qc9ELl/ROc/gRkTlC1GqEmLwIhAPJcXS6DQJAHVeY6b9Et46fE
        021XizZ3GurIh9s6L21/
        -----END CERTIFICATE-----
        """.utf8
    )
    static let key = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzWWmM+HIfuzkCs74
        wFUEROEJ3tAfhZHX3FawOInWiJGhRANCAAQC/+BLM2x8CdSN3VfEcSIdo4nKKkta
        MdjLoThjpwJ03TLKXo0RthGigldcwWodND0OhYU8Gtelk1gvVd/JUuC4
        -----END PRIVATE KEY-----
        """.utf8
    )
}
