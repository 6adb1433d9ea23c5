"""Currencies: what a sign or a word may mean. A dollar is that of several countries."""

from __future__ import annotations

CODES = frozenset(
    (
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP "
        "CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR "
        "ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT "
        "MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD "
        "SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND "
        "VUV WST XAF XCD XOF XPF YER ZAR ZMW"
    ).split()
)
_PESOS = "ARS CLP COP CUP DOP MXN PHP UYU"
_FAMILIES = {
    "$": frozenset(
        f"AUD BBD BMD BND BSD BZD CAD FJD GYD HKD JMD KYD LRD NAD NZD SBD SGD SRD TTD TWD USD XCD {_PESOS}".split()
    ),
    "peso": frozenset(_PESOS.split()),
    "JPY": frozenset(("JPY", "CNY")),
}
SIGNS = {"$": "$", "\u20ac": "EUR", "\u00a3": "GBP", "\u00a5": "JPY", "\u20b9": "INR", "US$": "USD"}
SHOWN = {"$": "$", "USD": "$", "EUR": "\u20ac", "GBP": "\u00a3", "JPY": "\u00a5", "INR": "\u20b9"}


def may_mean(key: str) -> frozenset[str]:
    """Return the ISO 4217 codes that a sign, a word or a code may mean."""
    return _FAMILIES.get(key) or frozenset((key,))
